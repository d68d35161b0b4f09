import { AppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { Echo } from '../../engine/answer.ts';
import { type ClientTools, ownToolsField } from '../../providers/content/client-tools.ts';
import { type ChatReader, createChatReader, type EarlierItems, readCompletion } from './read-chat-request.ts';

/** A request of another API, translated to a chat completion. */
export interface Translation {
  /** A body of `POST /v1/chat/completions`. */
  readonly body: Record<string, unknown>;
  readonly warnings: readonly Warning[];
  readonly echo: Echo;
  /** The place of each of the body's messages in the request, such as `input[3]`. */
  readonly places: readonly string[];
  /** Whether the request has the limits of Anthropic's API, and its `max_tokens` may be lowered to what the model gives. */
  readonly isMessages?: boolean;
  /** The functions that stand for the client's own kinds of tools. */
  readonly clientTools?: ClientTools;
  /** The same tools in the form that OpenAI's own models take. */
  readonly ownTools?: Readonly<Record<string, unknown>>;
}

/** `strict`: unknown fields are refused. Throws the contract's 400 codes with the field names of its own API. */
export type Translate = (body: Record<string, unknown>, strict: boolean, earlier?: EarlierItems) => Translation;

/** Reads requests of another API by translating them to chat completions, so that the same rules apply to all. */
export const translatedReader = (name: string, translate: Translate): ChatReader =>
  createChatReader(name, (given, options) => {
    const translation = translate(given, options.strict, options.earlier);
    const { body, warnings, echo, places, isMessages, clientTools, ownTools } = translation;
    try {
      const fields = readCompletion(body, { ...options, messages: null }, { isMessages: isMessages ?? false });
      return {
        ...fields,
        warnings: [...warnings, ...fields.warnings],
        echo,
        ...(clientTools?.size ? { clientTools } : {}),
        ...(ownTools ? { openaiOnly: { ...fields.openaiOnly, [ownToolsField]: ownTools } } : {}),
      };
    } catch (error) {
      throw error instanceof AppError ? placed(error, places) : error;
    }
  });

const inMessage = /^messages\[(\d+)\].*$/s;

/** Replaces the place in an error by the place in the client's own request. */
function placed(error: AppError, places: readonly string[]): AppError {
  const { code, message, param, details, cause } = error;
  const place = places[Number(inMessage.exec(param ?? '')?.[1] ?? -1)];
  if (param === null || place === undefined) return error;
  return new AppError(
    code,
    message.replace(param, () => place),
    { param: place, cause, ...(details ? { details } : {}) },
  );
}
