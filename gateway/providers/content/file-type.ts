/**
 * Returns the content type by the first bytes; null if it's no type that models read. Needs at least 1 KiB, because a
 * PDF's marker may come late.
 */
export function getFileType(head: Buffer): string | null {
  const ascii = head.toString('latin1', 0, 1_024);
  if (ascii.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (ascii.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (ascii.startsWith('GIF87a') || ascii.startsWith('GIF89a')) return 'image/gif';
  if (ascii.startsWith('RIFF') && ascii.slice(8, 12) === 'WEBP') return 'image/webp';
  return ascii.includes('%PDF-') ? 'application/pdf' : null;
}
