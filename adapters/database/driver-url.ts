/**
 * The driver decodes some codes of a URL otherwise than `psql`. In the database's name it leaves those of `$ & + , / : ; = @`, although each of
 * these characters may stand there as it is. And if the URL has a space or a `%` without a code, it encodes the other codes once more.
 */

const UNCODED = /%(?![0-9a-f]{2})/gi
const NAME = /^([a-z]+:\/\/[^/?#]*\/)([^?#]*)/i
const KEPT = /%(?:2[46bcf]|3[abd]|40)/gi

/** @param url  `postgres://…` · @returns a URL that means the same to the driver */
export const forDriver = (url: string): string =>
  url
    .replace(UNCODED, '%25')
    .replaceAll(' ', '%20')
    .replace(NAME, (_, before: string, name: string) => before + name.replace(KEPT, decodeURIComponent))
