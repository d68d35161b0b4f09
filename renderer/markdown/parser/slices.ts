import type { Token } from 'marked';
import { createScripts, type Scripts, sliceWeight } from '../../long-text/weight.ts';
import { drawnWeight } from './token-weight.ts';

/** Blocks that are rendered together; see `lazy-box.tsx`. */
export interface Slice {
  readonly tokens: readonly Token[];
  readonly weight: number;
  /** Those whose fonts are loaded when it is drawn. */
  readonly scripts: Scripts;
}

/**
 * Groups blocks into slices of at most the allowed weight; a heavier block is a slice of its own. When a document grows, unchanged slices keep their identity,
 * and only new blocks are weighed.
 */
export function createSlicer(): (tokens: readonly Token[]) => readonly Slice[] {
  let slices: readonly Slice[] = [];
  return (tokens) => {
    const kept: Slice[] = [];
    let at = 0;
    for (const slice of slices.slice(0, -1)) {
      if (!holdsAt(tokens, at, slice.tokens)) break;
      kept.push(slice);
      at += slice.tokens.length;
    }
    const last = slices[kept.length];
    slices = [...kept, ...divided(tokens.slice(at))].map((slice, index) =>
      index === kept.length && last && isSame(slice, last) ? last : slice,
    );
    return slices;
  };
}

const noScripts: Scripts = new Set();

function divided(tokens: readonly Token[]): Slice[] {
  const slices: { tokens: Token[]; weight: number; scripts: Scripts }[] = [];
  let scripts = createScripts();
  const known = scripts.size;
  for (const token of tokens) {
    const weight = drawnWeight(token, scripts);
    let last = slices.at(-1);
    if (last && last.weight + weight <= sliceWeight) {
      last.tokens.push(token);
      last.weight += weight;
    } else {
      last = { tokens: [token], weight, scripts: noScripts };
      slices.push(last);
    }
    if (scripts.size === known) continue;
    // Each block pays for its own fonts: nobody knows which is drawn first.
    last.scripts = new Set([...last.scripts, ...[...scripts].slice(known)]);
    scripts = createScripts();
  }
  return slices;
}

const holdsAt = (tokens: readonly Token[], from: number, wanted: readonly Token[]): boolean =>
  from + wanted.length <= tokens.length && wanted.every((token, at) => token === tokens[from + at]);

const isSame = (one: Slice, other: Slice): boolean =>
  one.tokens.length === other.tokens.length && holdsAt(one.tokens, 0, other.tokens);
