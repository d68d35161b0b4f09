import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { type ConversationShape, conversationShape } from '../content/conversation-shape.ts';
import { type FeatureInput, type Features, featuresOf } from './features.ts';
import { openingOf } from './sticky.ts';

/** All that is decided by of a conversation, without its text: it is read once, and where that takes long, elsewhere. */
export interface RoutingFacts {
  readonly features: Features;
  /** What models differ about in it. */
  readonly shape: ConversationShape;
  /** How it begins, for `conversationKey`. */
  readonly opening: readonly string[];
  /** It continues a conversation rather than starting one. */
  readonly hasHistory: boolean;
  /** Its last word is a tool's. */
  readonly endsWithTool: boolean;
}

export const routingFactsOf = (input: FeatureInput): RoutingFacts => ({
  features: featuresOf(input),
  shape: conversationShape(input.messages, input.parameters),
  opening: openingOf(input.messages),
  hasHistory: hasHistory(input.messages),
  endsWithTool: input.messages.at(-1)?.role === 'tool',
});

const hasHistory = (messages: readonly ChatMessage[]): boolean =>
  messages.some((message) => message.role === 'assistant' || message.role === 'tool');
