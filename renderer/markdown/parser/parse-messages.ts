import type { Token } from 'marked';

export type ParseRequest =
  | { readonly type: 'append'; readonly id: number; readonly text: string; readonly finish: boolean }
  | { readonly type: 'forget'; readonly id: number };

/** A worker says first that it has started; until then it takes no document. */
export const ready = 'ready';
export type ParseMessage = ParseAnswer | typeof ready;

/** What a document's blocks are now: the first `kept` of those told before, then these. `more`: others follow at once. */
export interface ParseAnswer {
  readonly id: number;
  readonly kept: number;
  readonly tokens: readonly Token[];
  readonly more: boolean;
}
