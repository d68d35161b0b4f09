/** Media types that are read as text, in lower case and without parameters. */
export const isHtml = (contentType: string): boolean => /^(text\/html|application\/xhtml\+xml)$/.test(contentType);

export const isText = (contentType: string): boolean =>
  isHtml(contentType) || contentType.startsWith('text/') || /[/+]json$/.test(contentType);
