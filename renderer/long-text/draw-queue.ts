import { sliceWeight } from './weight.ts';

/** The weight that may be rendered in one frame. A single slice is always allowed. */
const frameWeight = 2 * sliceWeight;

interface Waiting {
  readonly weight: number;
  readonly draw: () => void;
}

/**
 * The rendering budget of the whole window: two slices a frame, however many messages come into view at once. The rest
 * waits for the next frame.
 */
const waiting = new Set<Waiting>();
let left = frameWeight;
let asked = false;

/** Returns whether this weight still fits into the current frame. */
export function mayDraw(weight: number): boolean {
  if (weight > left && left < frameWeight) return false;
  left -= weight;
  askForFrame();
  return true;
}

/** Calls `draw` as soon as it fits into a frame. Returns a function that cancels it. */
export function drawSoon(weight: number, draw: () => void): () => void {
  const entry = { weight, draw };
  waiting.add(entry);
  askForFrame();
  return () => void waiting.delete(entry);
}

function askForFrame(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(nextFrame);
}

function nextFrame(): void {
  asked = false;
  left = frameWeight;
  for (const entry of waiting) {
    if (!mayDraw(entry.weight)) break;
    waiting.delete(entry);
    entry.draw();
  }
  if (waiting.size > 0) askForFrame();
}
