import { AppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { type ClientTools, ownToolsField } from '../../providers/content/client-tools.ts';
import {
  completionQuestion,
  type EarlierItems,
  type Echo,
  type QuestionReader,
  questionReader,
} from './read-question.ts';

/** A request of another interface, said as a chat completion. */
export interface Translation {
  /** A body of `POST /v1/chat/completions`. */
  readonly body: Record<string, unknown>;
  readonly warnings: readonly Warning[];
  readonly echo: Echo;
  /** Where each of the body's messages stood in the request, such as `input[3]`. */
  readonly places: readonly string[];
  /** Functions that tools of the caller's became. */
  readonly clientTools?: ClientTools;
  /** These tools as OpenAI's own models take them. */
  readonly ownTools?: Readonly<Record<string, unknown>>;
}

/** `strict`: unknown fields are refused. Throws the contract's 400 codes, in the words of its own interface. */
export type Translate = (body: Record<string, unknown>, strict: boolean, earlier?: EarlierItems) => Translation;

/** Reads requests of another interface by saying them as chat completions: the same rules hold for all. */
export const translatedReader = (name: string, translate: Translate): QuestionReader =>
  questionReader(name, (given, options) => {
    const { body, warnings, echo, places, clientTools, ownTools } = translate(given, options.strict, options.earlier);
    try {
      const said = completionQuestion(body, { ...options, messages: null });
      return {
        ...said,
        warnings: [...warnings, ...said.warnings],
        echo,
        ...(clientTools?.size ? { clientTools } : {}),
        ...(ownTools ? { openaiOnly: { ...said.openaiOnly, [ownToolsField]: ownTools } } : {}),
      };
    } catch (error) {
      throw error instanceof AppError ? placed(error, places) : error;
    }
  });

const inMessage = /^messages\[(\d+)\].*$/s;

/** The error with the place that the caller knows. */
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
