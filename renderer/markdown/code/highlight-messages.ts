/** A span of a line and the name of its colour. An empty name means plain text. */
export type Span = readonly [text: string, colour: string];

export type HighlightRequest =
  /** Complete lines, from this line number on. They must follow the lines of the last request, or begin at 0. */
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
