/** Every place of a text in what is drawn of an element, without case. A place that spans two elements is not found. */
function rangesOf(root: Element, needle: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    // Where lower case has another length, places could not be told from it.
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
  /** How many places a message has. */
  readonly countIn: (messageId: string) => number;
}

const rowOf = (root: Element, messageId: string) =>
  root.querySelector<HTMLElement>(
    `[data-message="${CSS.escape(messageId)}"], [data-parts~="${CSS.escape(messageId)}"]`,
  );

/** How many places the parts of an answer have that stand before the one that is meant. */
function before({ dataset }: HTMLElement, { messageId, countIn }: Match): number {
  const parts = dataset.parts?.split(' ') ?? [];
  return parts.slice(0, Math.max(0, parts.indexOf(messageId))).reduce((sum, part) => sum + countIn(part), 0);
}

/**
 * Marks a text in what is on screen (CSS Custom Highlight API: nothing of the page is changed), and the place that the
 * reader is at. Follows what is drawn until the answer is called.
 */
export function highlightText(root: Element, text: string, here: Match | null): () => void {
  const needle = text.toLowerCase();
  let frame = 0;
  const draw = () => {
    frame = 0;
    CSS.highlights.set('find', new Highlight(...rangesOf(root, needle)));
    const row = here && rowOf(root, here.messageId);
    const ranges = row ? rangesOf(row, needle) : [];
    // Drawn text and written text differ where Markdown has signs: then the first place stands for it.
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
