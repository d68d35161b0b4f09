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

/** What a model's embeddings are, and what it takes at once; null: nobody says. */
export interface EmbeddingFacts {
  /** How many numbers a vector has, unless a request says otherwise. */
  readonly dimensions: number | null;
  /** What a request may say; null: nothing. */
  readonly selectable: { readonly least: number; readonly most: number } | null;
  /** Longest input, in tokens. */
  readonly inputTokens: number | null;
  /** Most inputs of one request. */
  readonly inputs: number | null;
  /** Most tokens of all inputs of one request. */
  readonly requestTokens: number | null;
  /** Inputs may come as numbers of tokens. */
  readonly takesTokens: boolean;
}

/** A model as the gateway knows it, before anyone's keys and plan are considered. */
export interface CatalogueModel {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** The provider's own name for it. */
  readonly model: string;
  readonly name: string;
  readonly description: string | null;
  /** Unix seconds; 0 where not known. */
  readonly created: number;
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly capabilities: readonly Capability[];
  readonly supportedParameters: readonly string[];
  /** Null where no price is known. */
  readonly price: Price | null;
  readonly priceAsOf: string | null;
  readonly priceSource: string | null;
  /** The operator set this price, by command or in the configuration: it is charged whatever the server says of its cost. */
  readonly isOwnPrice?: boolean;
  /** The router's static score, 0–1 (wire contract §5.4). */
  readonly quality: number | null;
  /** What to expect before anything was measured. */
  readonly speed: { readonly firstTokenMs: number; readonly tokensPerSecond: number };
  readonly deprecationDate: string | null;
  readonly shutdownDate: string | null;
  /** `provider/model` that its vendor names in its place. */
  readonly successor: string | null;
  /** What its vendor documents of its requests; null of models that only their servers know. */
  readonly facts: ModelFacts | null;
  readonly aliases: readonly string[];
  /** The model of the price book that it is under another name, and whether its server has OpenAI's Responses API. */
  readonly sameAs?: { readonly id: string; readonly responses: boolean };
  readonly simulated: boolean;
  /** Nobody listed it: it was named by hand, and only its vendor can say whether there is one. */
  readonly unverified?: true;
  /** Of a model that makes embeddings and never chats. */
  readonly embedding?: EmbeddingFacts;
}

export interface Catalogue {
  /** Date of the price book, `YYYY-MM-DD`. */
  readonly version: string;
  /** Those that chat. */
  readonly models: readonly CatalogueModel[];
  /** Those that make embeddings: nobody who looks for a chat's model ever meets them. */
  readonly embeddings: readonly CatalogueModel[];
  /** A model beside those listed, with what is known of its price. */
  readonly priced: (model: CatalogueModel) => CatalogueModel;
  /** Known by their price alone, as their provider has no key that could list them: to be looked at, never to be asked. */
  readonly offered: readonly CatalogueModel[];
}
