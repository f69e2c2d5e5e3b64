/**
 * The driver's meaning of `sslmode` is stricter than that of psql: `prefer`, `require` and `verify-ca` all check the certificate and the
 * name, as `verify-full` does. Its next version weakens them, and this one warns about that. So each is replaced by `verify-full`, which it means now.
 */

/** @param url  `postgres://…`; with `uselibpqcompat=true` its modes have psql's meaning and stay as they are */
export const withStrictSslMode = (url: string): string =>
  /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full')
