import { drawNow } from '../../long-text/draw-now.ts';

/** Returns the ranges of a text in an element, ignoring case. A match across two elements is not found. */
function getRanges(root: Element, needle: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    // If lower case changes the length, offsets would be wrong.
    if (text.length !== node.nodeValue?.length) continue;
    for (let index = text.indexOf(needle); index >= 0; index = text.indexOf(needle, index + needle.length)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + needle.length);
      ranges.push(range);
    }
  }
  return ranges;
}

export interface Match {
  readonly messageId: string;
  readonly nth: number;
  /** The number of matches in a message. */
  readonly countIn: (messageId: string) => number;
}

const toRow = (root: Element, messageId: string) =>
  root.querySelector<HTMLElement>(
    `[data-message="${CSS.escape(messageId)}"], [data-parts~="${CSS.escape(messageId)}"]`,
  );

/** Counts the matches in the answer's earlier parts. */
function before({ dataset }: HTMLElement, { messageId, countIn }: Match): number {
  const parts = dataset.parts?.split(' ') ?? [];
  return parts.slice(0, Math.max(0, parts.indexOf(messageId))).reduce((sum, part) => sum + countIn(part), 0);
}

/** Less than the height of a line. */
const nearPx = 10;

const topIn = (row: Element, range: Range): number =>
  range.getBoundingClientRect().top - row.getBoundingClientRect().top;

function drawWhole(row: Element): void {
  const whole = document.createRange();
  whole.selectNodeContents(row);
  drawNow(whole);
}

/**
 * Highlights a text and the current match with the CSS Custom Highlight API, which doesn't change the document. Follows
 * changes of the document until the returned function is called. Calls `show` once the match is there, with a function
 * that returns its current range, and again each time the match was drawn again.
 */
export function highlightText(
  root: Element,
  text: string,
  here: Match | null,
  show: (range: () => Range | null, isDrawnAnew: boolean) => void = () => {},
): () => void {
  const needle = text.toLowerCase();
  let frame = 0;
  let current: Range | null = null;
  /** The match's vertical position within its row. */
  let placePx = 0;
  let shown = false;
  const draw = () => {
    const row = here && toRow(root, here.messageId);
    const nth = here && row ? here.nth + before(row, here) : 0;
    let ranges = row ? getRanges(row, needle) : [];
    // The match may be in a part that isn't drawn yet, or after one.
    const empty = row && !shown ? row.querySelector('[data-empty]') : null;
    if (row && empty && frame !== 0) {
      drawWhole(row);
      ranges = getRanges(row, needle);
    }
    // Rendered text differs from its Markdown source, so the index may not exist. Then the first match is used.
    if (!shown) current = ranges[nth] ?? ranges[0] ?? null;
    // The row was drawn again, and earlier matches may be missing, so the match is found by its position.
    else if (row && current?.collapsed !== false) {
      current = ranges.find((range) => Math.abs(topIn(row, range) - placePx) < nearPx) ?? null;
      if (current) show(() => current, true);
    }
    if (row && current) placePx = topIn(row, current);
    CSS.highlights.set('find', new Highlight(...getRanges(root, needle)));
    CSS.highlights.set('find-here', new Highlight(...(current ? [current] : [])));
    // An effect can't draw the row, so the next frame does.
    if (empty && frame === 0) return later();
    frame = 0;
    if (!current || shown) return;
    shown = true;
    show(() => current, false);
  };
  const later = () => {
    frame ||= requestAnimationFrame(draw);
  };
  const observer = new MutationObserver(later);
  observer.observe(root, { childList: true, subtree: true, characterData: true });
  draw();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
    current = null;
    CSS.highlights.delete('find');
    CSS.highlights.delete('find-here');
  };
}
