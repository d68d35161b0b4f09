import { sliceWeight } from './weight.ts';

/** What is drawn between two frames; one slice always may. */
const frameWeight = 2 * sliceWeight;

interface Waiting {
  readonly weight: number;
  readonly draw: () => void;
}

/**
 * The budget of the window: what is drawn in one frame weighs no more than two slices, however many messages come into
 * view at once. What does not fit waits for the next frame.
 */
const waiting = new Set<Waiting>();
let left = frameWeight;
let asked = false;

/** Whether something may be drawn in this frame. */
export function mayDraw(weight: number): boolean {
  if (weight > left && left < frameWeight) return false;
  left -= weight;
  askForFrame();
  return true;
}

/** Draws when there is room for it. Returns what gives it up. */
export function drawSoon(weight: number, draw: () => void): () => void {
  const one = { weight, draw };
  waiting.add(one);
  askForFrame();
  return () => void waiting.delete(one);
}

function askForFrame(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(nextFrame);
}

function nextFrame(): void {
  asked = false;
  left = frameWeight;
  for (const one of waiting) {
    if (!mayDraw(one.weight)) break;
    waiting.delete(one);
    one.draw();
  }
  if (waiting.size > 0) askForFrame();
}
