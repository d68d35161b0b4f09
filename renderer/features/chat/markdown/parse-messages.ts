import type { Token } from 'marked';

export type ParseRequest =
  | { readonly type: 'append'; readonly id: number; readonly text: string; readonly finish: boolean }
  | { readonly type: 'forget'; readonly id: number };

/** What a document's blocks are now: the first `kept` of those told before, then these. */
export interface ParseAnswer {
  readonly id: number;
  readonly kept: number;
  readonly tokens: readonly Token[];
}
