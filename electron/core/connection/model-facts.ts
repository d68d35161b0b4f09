import type { Model } from '#shared/wire/model.ts';

/** What the app knows of a model by its id. */
export interface ModelFacts {
  readonly name: string;
  readonly simulated: boolean;
  readonly priced: boolean;
  /** All that the gateway's list says of it. */
  readonly record: Model;
}
export type DescribeModel = (id: string) => ModelFacts | null;
