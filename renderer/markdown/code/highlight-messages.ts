/** A piece of a line and the name of its colour; no name: plain. */
export type Span = readonly [text: string, colour: string];

export type HighlightRequest =
  /** Lines that are closed, from the line number on. They must follow what was asked before, or begin at 0. */
  | {
      readonly type: 'lines';
      readonly id: number;
      readonly language: string;
      readonly from: number;
      readonly lines: readonly string[];
    }
  | { readonly type: 'forget'; readonly id: number };

export interface HighlightAnswer {
  readonly id: number;
  readonly from: number;
  readonly lines: readonly (readonly Span[])[];
}
