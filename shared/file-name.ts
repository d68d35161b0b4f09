/** A name that every file system takes, without an ending. */
export const fileName = (name: string): string =>
  name
    .replace(/[\p{C}<>:"/\\|?*]+/gu, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80)
    .trim() || 'chats';
