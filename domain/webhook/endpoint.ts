/**
 * The server behind a url: scheme, host and port, as `https://shop.vn:443`. What is wrong with it is wrong with all of a user's
 * rules that go there. A url that cannot be read is its own endpoint.
 */
export const endpointOf = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
