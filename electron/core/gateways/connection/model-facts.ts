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

/** What models and providers are called. */
export interface Naming {
  readonly modelFacts: DescribeModel;
  /** The user’s own server as the user named it; one that nobody knows by its id. */
  readonly providerName: (id: string) => string;
}

/** The display name of a model in the gateway’s books; one that the catalogue does not have keeps its id. */
export const bookedModelName = (describe: DescribeModel, provider: string | null, model: string): string =>
  describe(`${provider}/${model}`)?.name ?? model;
