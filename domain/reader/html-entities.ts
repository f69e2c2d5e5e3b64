/** HTML entities, as mails and some forwarder apps write them. */

const ENTITIES: Record<string, string> = {
  nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", dong: 'đ', minus: '-', ndash: '-', mdash: '-', rsquo: '’', bull: '•',
} // prettier-ignore

const entity = (whole: string, name: string): string => {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? letterNamed(name) ?? whole
  const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
}

const MARKS: Record<string, string> = {
  grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', uml: '\u0308',
} // prettier-ignore

/** `&agrave;`, `&Ocirc;`: a letter and its diacritic. */
const letterNamed = (name: string): string | null => {
  const [, letter = '', mark = ''] = /^([a-z])(grave|acute|circ|tilde|uml)$/i.exec(name) ?? []
  return letter ? (letter + (MARKS[mark.toLowerCase()] ?? '')).normalize('NFC') : null
}

/** Replaces each entity by its character. An unknown one stays as it is. */
export const withoutEntities = (text: string): string => text.replace(/&(#?[a-z0-9]{1,10});/gi, entity)
