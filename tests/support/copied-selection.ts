import { vi } from 'vitest';

/**
 * Returns what copying the selection puts into the clipboard, whether through the event or through a write of its own.
 * Null means that the browser's own copy applies.
 */
export async function copiedSelection(): Promise<{ plain: string; rich: string } | null> {
  const write = vi.spyOn(navigator.clipboard, 'write').mockResolvedValue();
  const clipboardData = new DataTransfer();
  const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true });
  (getSelection()?.focusNode ?? document).dispatchEvent(event);
  const item = write.mock.lastCall?.[0][0];
  write.mockRestore();
  if (!event.defaultPrevented) return null;
  if (!item) return { plain: clipboardData.getData('text/plain'), rich: clipboardData.getData('text/html') };
  const read = async (type: string) => (await item.getType(type)).text();
  return { plain: await read('text/plain'), rich: await read('text/html') };
}
