import { mapEventIterator, ORPCError } from '@orpc/client';
import { ValidationError } from '@orpc/contract';
import type { AnyRouter } from '@orpc/server';
import { type AppError, errorKinds, type Refusal } from '#shared/errors.ts';
import { type InputRule, isInputRule } from '#shared/language/refusal-words.ts';
import { refusal } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../runtime/log/log.ts';
import { coreFailure } from '../storage/database/core-failure.ts';

interface Call {
  readonly path: readonly string[];
  readonly signal?: AbortSignal | undefined;
  next(): Promise<unknown>;
}

/**
 * Handles errors for every host: failures of calls and streams become errors whose text may be shown. After `closing`
 * is aborted, unexpected failures are reported as `shutting_down`, because parts of the core are closed then.
 * `onDamage` is called when a call finds that the database is damaged.
 */
export function rpcErrors(log: Log, closing = new AbortController().signal, onDamage?: () => void) {
  const convert = (path: readonly string[], signal: AbortSignal | undefined) => (error: unknown) => {
    const failure = fromForeign(error);
    if (failure.code === 'internal_error' && closing.aborted) return toRpcError(refusal('shutting_down', 'closing'));
    const isDamage = failure.code === 'database_unusable';
    if (isDamage) onDamage?.();
    if ((isDamage || failure.code === 'internal_error') && !signal?.aborted) {
      log({ event: 'call_failed', method: path.join('.'), ...failureEntry(failure) });
    }
    return toRpcError(failure);
  };
  return {
    clientInterceptors: [
      async ({ path, signal, next }: Call): Promise<unknown> => {
        const failed = convert(path, signal);
        try {
          const output = await next();
          if (!isStream(output)) return output;
          return mapEventIterator(output, { value: async (item) => item, error: async (error) => failed(error) });
        } catch (error) {
          throw failed(error);
        }
      },
    ],
  };
}

/** Converts an `AppError` for the renderer, with its code, its message and `{ retryAfterMs, details, refusal }`. */
function toRpcError(
  error: AppError,
): ORPCError<string, { retryAfterMs: number | null; details: unknown; refusal: Refusal | null }> {
  return new ORPCError(error.code, {
    status: errorKinds[error.code].status,
    message: error.message,
    data: { retryAfterMs: error.retryAfterMs ?? null, details: error.details ?? null, refusal: error.refusal },
  });
}

function fromForeign(error: unknown): AppError {
  if (!(error instanceof ORPCError)) return coreFailure(error);
  const issue = error.code === 'BAD_REQUEST' && error.cause instanceof ValidationError ? error.cause.issues[0] : null;
  if (!issue) return coreFailure(error.cause ?? error);
  const param = issue.path?.map((part) => (typeof part === 'object' ? part.key : part)).join('.') ?? '';
  const details = { param, why: issue.message };
  return refusal('invalid_input', 'inputRefused', { field: param, rule: getRule(issue) }, { details });
}

/**
 * Returns the rule that an input breaks. Rules of the contract have their name as the message. Of zod's own rules only
 * the two about size are distinguished.
 */
function getRule(issue: { readonly message: string; readonly code?: unknown }): InputRule {
  if (isInputRule(issue.message)) return issue.message;
  return issue.code === 'too_small' ? 'tooSmall' : issue.code === 'too_big' ? 'tooLarge' : 'other';
}

function isStream(output: unknown): output is AsyncIterator<unknown> & AsyncIterable<unknown> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output && 'next' in output;
}

/** The handlers and the error handling that a transport serves. */
export interface Served {
  readonly router: AnyRouter;
  readonly rpc: ReturnType<typeof rpcErrors>;
}
