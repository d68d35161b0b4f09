import type { Model } from '#shared/wire/model.ts';

export interface ModelFacts {
  readonly name: string;
  readonly simulated: boolean;
  readonly priced: boolean;
  /** The gateway’s record of the model. */
  readonly record: Model;
}
export type DescribeModel = (id: string) => ModelFacts | null;

/** Display names of models and providers. */
export interface Naming {
  readonly modelFacts: DescribeModel;
  /** The name the user gave to an own server. An unknown id is returned as it is. */
  readonly providerName: (id: string) => string;
}

/** Returns the display name of a model in the gateway’s ledger. A model that the catalogue lacks keeps its id. */
export const ledgerModelName = (describe: DescribeModel, provider: string | null, model: string): string =>
  describe(`${provider}/${model}`)?.name ?? model;
