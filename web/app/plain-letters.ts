/** Letters without marks, in lower case, so that "giao dich" finds "Giao dịch". */
export const plainLetters = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[đĐ]/g, 'd').toLowerCase().trim()
