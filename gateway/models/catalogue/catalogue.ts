import type { Price } from '#shared/price.ts';
import type { ModelFacts } from './model-facts.ts';

export type Capability =
  | 'streaming'
  | 'tools'
  | 'json_mode'
  | 'json_schema'
  | 'vision'
  | 'files'
  | 'audio'
  | 'reasoning'
  | 'prompt_cache'
  | 'web_search'
  | 'image_output'
  | 'embeddings';

/** A model's embeddings, and how much input it accepts; null: not documented. */
export interface EmbeddingFacts {
  /** Length of a vector, unless the request asks for another. */
  readonly dimensions: number | null;
  /** Lengths that a request may ask for; null if it can't choose. */
  readonly selectable: { readonly min: number; readonly max: number } | null;
  /** Maximum length of an input, in tokens. */
  readonly inputTokens: number | null;
  /** Maximum number of inputs in a request. */
  readonly inputs: number | null;
  /** Maximum tokens of all inputs of a request together. */
  readonly requestTokens: number | null;
  /** Inputs may be token numbers instead of text. */
  readonly takesTokens: boolean;
}

/** A model as the gateway knows it, regardless of anybody's keys and plan. */
export interface CatalogueModel {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** The provider's own name for it. */
  readonly model: string;
  readonly name: string;
  readonly description: string | null;
  /** Unix seconds; 0 if it's unknown. */
  readonly created: number;
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly capabilities: readonly Capability[];
  readonly supportedParameters: readonly string[];
  /** Null if no price is known. */
  readonly price: Price | null;
  readonly priceAsOf: string | null;
  readonly priceSource: string | null;
  /**
   * The operator set this price, by a command or in the configuration. It's charged even if the server reports another
   * cost.
   */
  readonly isOwnPrice?: boolean;
  /** The router's static score, 0–1 (wire contract §5.4). */
  readonly quality: number | null;
  /** The expected speed, used until there are measurements. */
  readonly speed: { readonly firstTokenMs: number; readonly tokensPerSecond: number };
  readonly deprecationDate: string | null;
  readonly shutdownDate: string | null;
  /** The model (`provider/model`) that its vendor names as its replacement. */
  readonly successor: string | null;
  /** What its vendor documents about its requests; null if only its server knows the model. */
  readonly facts: ModelFacts | null;
  readonly aliases: readonly string[];
  /** The price-book model that it is under another name, and whether its server has OpenAI's Responses API. */
  readonly sameAs?: { readonly id: string; readonly responses: boolean };
  readonly simulated: boolean;
  /** The model isn't in any list. It was named by hand, and only its vendor knows whether it exists. */
  readonly unverified?: true;
  /** Set for a model that makes embeddings and can't chat. */
  readonly embedding?: EmbeddingFacts;
}

export interface Catalogue {
  /** Date of the price book, `YYYY-MM-DD`. */
  readonly version: string;
  /** Models that can chat. */
  readonly models: readonly CatalogueModel[];
  /** Models that make embeddings. They are kept apart, so that nobody chooses one for a chat. */
  readonly embeddings: readonly CatalogueModel[];
  /** Adds the known price to a model outside the lists. */
  readonly priced: (model: CatalogueModel) => CatalogueModel;
  /**
   * Models that are only known by their price, because their provider has no key with which its list could be fetched.
   * They can be viewed but not called.
   */
  readonly offered: readonly CatalogueModel[];
}
