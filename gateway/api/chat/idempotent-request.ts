import { AppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { AnswerObserver, Question } from '../../engine/answer.ts';
import { type Claimed, type KeptAnswers, type Replay, renewEveryMs } from '../../engine/idempotency/kept-answers.ts';
import type { Admitted } from '../../http/answer-exchange.ts';
import type { ChatForm } from './answer-chat.ts';
import { jsonType, routeHeaders, warningHeaders } from './chat-headers.ts';
import { type Collector, createCollector, createSizeCheck } from './collect-answer.ts';
import { getParts, keptFromText, keptToText } from './kept-answer.ts';
import type { AnswerIdentity } from './prompt-writer.ts';
import type { ChatCall } from './read-request.ts';
import { eventStreamHeaders, eventsFor } from './stream-events.ts';
import type { RoutePart } from './stream-writer.ts';

type Log = (entry: Readonly<Record<string, unknown>>) => void;

/** Claims the request's `Idempotency-Key`, or finds the answer to replay (§3.4). `digest`: of its body. */
export async function claimKey(
  { requestId, principal, path, request }: Admitted,
  digest: string,
  keptAnswers: KeptAnswers,
): Promise<Claimed | Replay> {
  const key = request.header('idempotency-key') ?? '';
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalidKey();
  const { accountId, userId, credential } = principal;
  return keptAnswers.claim({
    parts: [`${accountId}/${credential.type}/${credential.id ?? userId ?? ''}`, path, key],
    requestId,
    body: digest,
  });
}

/** An answer that is longer is not kept, and goes on. */
const maxKeptChars = 8_388_608;

const notKept = (): Warning => ({
  code: 'idempotency_not_kept',
  param: 'Idempotency-Key',
  message: 'The answer is too long to be kept: who asks again with this key gets a new one.',
});

const invalidKey = () =>
  new AppError('invalid_value', '"Idempotency-Key" must be 1 to 255 visible ASCII characters.', {
    param: 'Idempotency-Key',
  });

/**
 * Keeps an answer at the engine's side, before its end reaches the client: who loses the connection then gets it by asking
 * again. Whatever is not finished releases the key, and so do requests with the caller's own provider key, always.
 */
export function keepingWatcher(
  claimed: Claimed,
  question: Question,
  identity: AnswerIdentity,
  log: Log,
): AnswerObserver {
  const report = (event: string) => (error: unknown) =>
    log({ event, request_id: question.requestId, cause: String(error) });
  const lease = setInterval(() => void claimed.renew().catch(report('idempotency_renewal_failed')), renewEveryMs);
  const fits = createSizeCheck(maxKeptChars);
  let collector: Collector | null = createCollector();
  let route: RoutePart | null = null;
  const follow: AnswerObserver['parts'] = (parts) => {
    for (const part of parts) {
      if (part.type === 'route') route = part;
      else if (part.type !== 'finish') {
        if (!fits(part)) collector = null;
        collector?.add(part);
      } else if (collector === null) part.warnings.push(notKept());
      else if (route) {
        const answer = keptToText({ identity, route, finish: part, content: collector.result() });
        return claimed.complete(answer).catch(report('idempotency_answer_not_kept'));
      }
    }
    return undefined;
  };
  return {
    ...(question.byoKey === null ? { parts: follow } : {}),
    async ended() {
      clearInterval(lease);
      await claimed.release().catch(report('idempotency_release_failed'));
    },
  };
}

/** A kept answer in the form it was asked in: the same body, or one chunk of content, the finish and `[DONE]`. */
export function sendReplay({ answer }: Replay, call: ChatCall, form: ChatForm, admitted: Admitted): void {
  const kept = keptFromText(answer);
  const { identity, route, finish } = kept;
  const { stream, warnings } = call.question;
  const headers = {
    'idempotent-replayed': 'true',
    ...routeHeaders(route),
    ...warningHeaders(stream ? warnings : finish.warnings),
  };
  if (!stream) {
    const text = JSON.stringify(form.response(kept, call));
    admitted.send(200, { 'content-type': jsonType, ...headers }, text);
    return;
  }
  const writer = form.writer(identity, call);
  const answerWriter = admitted.open(200, { ...eventStreamHeaders, ...headers });
  void answerWriter.write(eventsFor(getParts(kept), writer));
  answerWriter.end();
}
