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

interface Place {
  readonly messageId: string;
  readonly nth: number;
}

/**
 * Marks a text in what is on screen (CSS Custom Highlight API: nothing of the page is changed), and the place that the
 * reader is at. Follows what is drawn until the answer is called.
 */
export function highlightText(root: Element, text: string, here: Place | null): () => void {
  const needle = text.toLowerCase();
  let frame = 0;
  const draw = () => {
    frame = 0;
    CSS.highlights.set('find', new Highlight(...rangesOf(root, needle)));
    const row = here && root.querySelector(`[data-message="${CSS.escape(here.messageId)}"]`);
    const ranges = row ? rangesOf(row, needle) : [];
    // Drawn text and written text differ where Markdown has signs: then the first place stands for it.
    const range = ranges[here?.nth ?? 0] ?? ranges[0];
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
