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

/** The display name of a model in the gateway’s books; one that the catalogue does not have keeps its id. */
export const bookedModelName = (describe: DescribeModel, provider: string | null, model: string): string =>
  describe(`${provider}/${model}`)?.name ?? model;
