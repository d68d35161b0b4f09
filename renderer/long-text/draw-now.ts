import { flushSync } from 'react-dom';

const draws = new WeakMap<Element, () => void>();

/** Registers how to draw a box while it is empty. Returns a function that removes it. */
export function drawnOnCall(box: Element, draw: () => void): () => void {
  draws.set(box, draw);
  return () => draws.delete(box);
}

/** Draws the empty boxes in this range at once, including nested ones, so that a copy contains their content. */
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
