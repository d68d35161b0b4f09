import { ORPCError } from '@orpc/client';
import { type ErrorCode, errorKinds, isErrorCode, type ProblemText, refusalIn } from '#shared/errors.ts';
import { language, words } from './language.ts';

export interface ErrorText {
  readonly code: string;
  /** What happened. */
  readonly sentence: string;
  /** The one action that most likely helps. */
  readonly remedy: string;
  readonly retryable: boolean;
  /** When a retry can succeed at the earliest, in epoch milliseconds, if a wait was requested. */
  readonly retryAt: number | null;
}

/**
 * Remedies for failures the user can do something about. For others, the app suggests a retry, or copying the details if
 * a retry is pointless.
 */
const remedies = words<Partial<Record<ErrorCode, string>>>({
  missing_credentials: 'Add a key for this provider in Settings.',
  malformed_authorization: 'Enter the gateway key again in Settings.',
  invalid_api_key: 'Check the gateway key in Settings: it was refused.',
  api_key_expired: 'Make a new key on the gateway and enter it in Settings.',
  invalid_token: 'Connect to the gateway again in Settings.',
  token_expired: 'Connect to the gateway again in Settings.',
  insufficient_credits: 'Add credits, or choose a model that your own key pays for.',
  key_spend_limit_exceeded: 'Raise the limit of this key, or use another one.',
  byoapi_key_insufficient_quota: 'Add credit to your account at the provider.',
  byoapi_key_rejected: 'Check the provider key in Settings: it was refused.',
  upstream_auth_failed: 'Check the key for this provider in Settings.',
  context_length_exceeded: 'Start a new chat or choose a model with a larger context.',
  request_too_large: 'Send a shorter message.',
  unsupported_modality: 'Choose another model, or remove the file.',
  cap_exceeded: 'Change the cap in Settings, or choose a cheaper model.',
  price_limit_exceeded: 'Raise Auto’s price limit in the chat settings, or choose a model.',
  content_policy_violation: 'Rephrase the message; the provider declined it.',
  model_not_found: 'Choose another model.',
  no_eligible_model: 'Add a key in Settings, or choose another model.',
  model_not_in_plan: 'Choose a model that is part of your plan.',
  plan_required: 'Choose another model, or change your plan.',
  rate_limit_exceeded: 'Wait a moment, then retry.',
  token_rate_limit_exceeded: 'Wait a moment, then retry.',
  concurrency_limit_exceeded: 'Wait until another answer is finished, then retry.',
  too_many_auth_failures: 'Check the gateway key in Settings, wait a moment, then retry.',
  upstream_rate_limited: 'The provider asks for a pause. Wait a moment, then retry.',
  upstream_overloaded: 'Retry, or choose another model.',
  server_overloaded: 'Wait a moment, then retry.',
  shutting_down: 'Wait a moment, then retry.',
  upstream_unreachable: 'Check your connection, then retry.',
  no_provider_available: 'Retry in a moment, or choose another model.',
  gateway_unreachable: 'Check the address and your connection, then retry.',
  gateway_not_recognised: 'Check the base URL: what answers there is not an AI gateway.',
  keychain_failed: 'Retry. If it fails again, restart the app.',
  keychain_locked: 'Unlock your keychain, then retry.',
  port_unavailable: 'Choose another port.',
  file_download_failed: 'Retry, or open it in the browser.',
  link_refused: 'Only web and mail links are opened.',
  not_confirmed: 'Test it in Settings → Tools, and answer the question that Portico asks outside this page.',
  confirmation_busy: 'Answer the question that is open, or wait a moment.',
  tool_server_failed: 'Check how it is reached, then test it again.',
  tool_server_changed: 'Look at its tools, then switch it on again.',
  disk_full: 'Free some space, then retry.',
  backup_failed: 'Retry.',
  backup_unusable: 'Choose another backup.',
  import_refused: 'Choose another file.',
  export_failed: 'Choose another place or another format.',
  answer_in_progress: 'Stop the running answer first.',
  interrupted: 'Retry to get a whole answer.',
  not_found: 'It may have been removed. Choose another one from the list.',
  invalid_input: 'Check what you entered.',
});

const text = words({
  coreLost: 'Portico’s core did not answer.',
  restart: 'Retry. If it stays away, restart Portico.',
  wrong: 'Something went wrong.',
  copyDetails: 'Copy the details if you need help.',
  retry: 'Retry.',
});

const lostCore: ErrorText = {
  code: 'core_unreachable',
  sentence: text.coreLost,
  remedy: text.restart,
  retryable: true,
  retryAt: null,
};

/** When each error arrived. Its wait counts from then, however often it is described. */
const arrivals = new WeakMap<Error, number>();

function getArrival(error: Error): number {
  const arrival = arrivals.get(error) ?? Date.now();
  arrivals.set(error, arrival);
  return arrival;
}

/** True if the error doesn't come from the core, which means that the core did not answer. */
export const isCoreLost = (error: unknown): boolean => !(error instanceof ORPCError);

/** Describes whatever a call threw. Only errors of the core keep their own sentence. */
export function describeError(error: unknown): ErrorText {
  if (!(error instanceof ORPCError)) return lostCore;
  const { code, message } = error;
  const failure = { code, message, retryAfterMs: getRetryAfter(error), refusal: refusalIn(error.data) };
  return describeFailure(failure, getArrival(error));
}

interface StoredFailure extends ProblemText {
  readonly code: string;
  readonly retryAfterMs: number | null;
}

let translate = ({ message }: ProblemText): string => message;

/** Loads the translations of the core's English sentences, if the window has another language. */
export async function loadTranslations(): Promise<void> {
  if (language === 'en') return;
  const [{ refusalWords }, { getSentence: sentenceIn }] = await Promise.all([
    import('#shared/language/refusal-words.ts'),
    import('#shared/language/refusals.ts'),
  ]);
  const translations = words(refusalWords);
  translate = (problem) => sentenceIn(translations, problem);
}

/** Returns the sentence of an error. The app's own sentences are translated; others stay as they came. */
export const getSentence = (problem: ProblemText): string => translate(problem);

/** Returns a gateway's own sentence, after a translated description of its code if there is one. */
export const quoteGateway = (code: string, message: string): string =>
  translate({ message, refusal: { name: 'gatewaySaid', values: { code, said: message } } });

/** Describes a failure that is stored with a message. `since` is when it occurred, in epoch milliseconds. */
export function describeFailure(failure: StoredFailure, since: number | null): ErrorText {
  const code = failure.code.toLowerCase();
  const known = isErrorCode(code) ? errorKinds[code] : undefined;
  return {
    code,
    sentence: getSentence(failure) || text.wrong,
    remedy: (isErrorCode(code) && remedies[code]) || (known?.retryable === false ? text.copyDetails : text.retry),
    retryable: known?.retryable ?? true,
    retryAt: getRetryAt(since, failure.retryAfterMs),
  };
}

export const getRetryAt = (since: number | null, retryAfterMs: number | null): number | null =>
  since === null || retryAfterMs === null ? null : since + retryAfterMs;

/** Returns the requested wait in milliseconds. */
export function getRetryAfter(error: unknown): number | null {
  const data: unknown = error instanceof ORPCError ? error.data : null;
  if (typeof data !== 'object' || data === null || !('retryAfterMs' in data)) return null;
  return typeof data.retryAfterMs === 'number' ? data.retryAfterMs : null;
}
