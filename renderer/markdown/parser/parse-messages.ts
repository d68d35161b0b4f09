import type { Token } from 'marked';

export type ParseRequest =
  | { readonly type: 'append'; readonly id: number; readonly text: string; readonly finish: boolean }
  | { readonly type: 'forget'; readonly id: number };

/** The first message of a worker. No documents are sent to it before. */
export const ready = 'ready';
export type ParseMessage = ParseAnswer | typeof ready;

/**
 * The blocks of a document: the first `kept` of the previous ones, then these. The first of these continues the first
 * `keptParts` items, rows or tokens that the block had before. With `more`, the next message continues them.
 */
export interface ParseAnswer {
  readonly id: number;
  readonly kept: number;
  readonly keptParts: number;
  readonly tokens: readonly Token[];
  readonly more: boolean;
}
