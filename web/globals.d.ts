/** Style sheets are imported for the build only. */
declare module '*.css'
