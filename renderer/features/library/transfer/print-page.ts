import { text } from '../../../text/transfer-text.ts';

const loadLimitMs = 60_000;

/** Prints a page of this host from a hidden frame. The browser shows its print dialog. */
export async function printPage(path: string): Promise<void> {
  // Removes earlier frames whose dialog never reported that it closed.
  for (const old of document.querySelectorAll('iframe[data-print]')) old.remove();
  const frame = document.createElement('iframe');
  frame.className = 'pointer-events-none fixed size-0 border-0 opacity-0';
  frame.dataset.print = '';
  frame.title = text.printFrame;
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  frame.src = path;
  const loaded = new Promise<void>((resolve, reject) => {
    frame.addEventListener('load', () => resolve(), { once: true });
    setTimeout(() => reject(new Error('The page to print did not load.')), loadLimitMs);
  });
  document.body.append(frame);
  try {
    await loaded;
    const page = frame.contentWindow;
    if (!page) throw new Error('The page to print is not there.');
    page.addEventListener('afterprint', () => frame.remove(), { once: true });
    page.print();
  } catch (error) {
    frame.remove();
    throw error;
  }
}
