/** Ranges of a text in an element, ignoring case. A match across two elements is not found. */
function rangesOf(root: Element, needle: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    // If lower case changes the length, offsets would be wrong.
    if (text.length !== node.nodeValue?.length) continue;
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  return ranges;
}

export interface Match {
  readonly messageId: string;
  readonly nth: number;
  /** Matches in a message. */
  readonly countIn: (messageId: string) => number;
}

const rowOf = (root: Element, messageId: string) =>
  root.querySelector<HTMLElement>(
    `[data-message="${CSS.escape(messageId)}"], [data-parts~="${CSS.escape(messageId)}"]`,
  );

/** Matches in parts of the answer before the current one. */
function before({ dataset }: HTMLElement, { messageId, countIn }: Match): number {
  const parts = dataset.parts?.split(' ') ?? [];
  return parts.slice(0, Math.max(0, parts.indexOf(messageId))).reduce((sum, part) => sum + countIn(part), 0);
}

/**
 * Highlights a text on screen and the current match (CSS Custom Highlight API: the document is not changed). Follows
 * changes of the document until the returned function is called.
 */
export function highlightText(root: Element, text: string, here: Match | null): () => void {
  const needle = text.toLowerCase();
  let frame = 0;
  const draw = () => {
    frame = 0;
    CSS.highlights.set('find', new Highlight(...rangesOf(root, needle)));
    const row = here && rowOf(root, here.messageId);
    const ranges = row ? rangesOf(row, needle) : [];
    // Rendered text differs from its Markdown source; then the first match is used.
    const range = ranges[here && row ? here.nth + before(row, here) : 0] ?? ranges[0];
    CSS.highlights.set('find-here', new Highlight(...(range ? [range] : [])));
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
    CSS.highlights.delete('find');
    CSS.highlights.delete('find-here');
  };
}
