import { flushSync } from 'react-dom';

const draws = new WeakMap<Element, () => void>();

/** While a box is empty: how it is drawn. */
export function drawnOnCall(box: Element, draw: () => void): () => void {
  draws.set(box, draw);
  return () => draws.delete(box);
}

/** Draws at once, for somebody who copies it, what of this range is an empty box, and the boxes in those. */
export function drawNow(range: Range): void {
  const { commonAncestorContainer: node } = range;
  const around = node instanceof Element ? node : node.parentElement;
  for (;;) {
    const boxes = [...(around?.querySelectorAll('[data-empty]') ?? [])].filter((box) => range.intersectsNode(box));
    const waiting = boxes.flatMap((box) => draws.get(box) ?? []);
    if (waiting.length === 0) return;
    flushSync(() => {
      for (const draw of waiting) draw();
    });
  }
}
