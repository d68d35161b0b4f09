import type { Model } from '#shared/wire/model.ts';

/** Facts about a model by its id. */
export interface ModelFacts {
  readonly name: string;
  readonly simulated: boolean;
  readonly priced: boolean;
  /** The gateway’s record. */
  readonly record: Model;
}
export type DescribeModel = (id: string) => ModelFacts | null;
