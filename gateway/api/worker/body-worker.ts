import { constants, setPriority } from 'node:os';
import { parentPort, type TransferListItem } from 'node:worker_threads';
import { plainFeatures } from '../../engine/routing/eligibility.ts';
import { valueTask } from '../../http/value-task.ts';
import { bodyTask } from '../../providers/body-task.ts';
import { writtenBody } from '../../providers/changed-request.ts';
import { inputBound } from '../../providers/content/input-bound.ts';
import { embeddingsFrom, embeddingsTask } from '../../providers/embedding-answer.ts';
import { packed, standIns, unpacked } from '../../providers/packed-request.ts';
import type { ProviderRequest } from '../../providers/provider.ts';
import { scriptTask } from '../../providers/sandbox/script-task.ts';
import { scriptFor } from '../../providers/sandbox/scripts.ts';
import { addressesIn, withFiles } from '../../providers/upstream/fetched-files.ts';
import { jsonAnswerTask } from '../../providers/upstream/json-answer-task.ts';
import { takeExactNumbers } from '../../runtime/json/exact-numbers.ts';
import { answerLimits } from '../../runtime/json/json-limits.ts';
import { parseBody, parseWithin } from '../../runtime/json/parse-json.ts';
import { toTransferredError } from '../../runtime/threads/transferred-error.ts';
import type { WorkerTask } from '../../runtime/threads/worker-task.ts';
import {
  type ChatReader,
  chatRequestTask,
  completionReader,
  eitherReader,
  promptReader,
} from '../chat/read-chat-request.ts';
import { embeddingCallTask } from '../embeddings/embedding-call-task.ts';
import { readEmbeddingFields } from '../embeddings/read-fields.ts';
import { countTokensReader, messagesReader } from '../messages/read-messages-request.ts';
import { responsesReader } from '../responses/read-responses-request.ts';

const readers = new Map(
  [promptReader, completionReader, eitherReader, responsesReader, messagesReader, countTokensReader].map(
    (reader): [string, ChatReader] => [reader.name, reader],
  ),
);

/** Returns the reader for one form of chat requests, by its name. */
function getChatReader(name: string): ChatReader {
  const reader = readers.get(name);
  if (!reader) throw new Error(`there is no form of chat requests "${name}"`);
  return reader;
}

/** The worker's tasks by their names. Work that takes longer for a longer request runs on a worker thread. */
const workerTasks: ReadonlyMap<string, (input: never) => unknown> = new Map([
  done(valueTask, ({ blocks }) => parseBody(Buffer.concat(blocks)).value),

  done(chatRequestTask, ({ blocks, form, options }) => {
    const { value, messages } = parseBody(Buffer.concat(blocks));
    const fields = getChatReader(form).read(value, { ...options, messages });
    return {
      fields: {
        ...fields,
        facts: { ...fields.facts, features: plainFeatures(fields.facts.features) },
        messages: [],
        messagesJson: null,
        echo: fields.echo && { ...fields.echo, long: {} },
        parameters: standIns(fields.parameters),
        openaiOnly: Object.fromEntries(Object.keys(fields.openaiOnly).map((name) => [name, true])),
      },
      packed: {
        bytes: packed(fields),
        remoteFiles: addressesIn(fields.messages),
        inputTokens: fields.facts.features.inputTokens,
        inputBound: inputBound(fields),
      },
    };
  }),

  done(bodyTask, ({ request, writer, fetched }) => {
    const whole = opened(request);
    const messages = fetched ? whole.messages.map((message) => withFiles(message, fetched)) : whole.messages;
    const body = writtenBody({ ...whole, messages }, writer);
    return body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body));
  }),

  done(embeddingsTask, embeddingsFrom),

  done(embeddingCallTask, readEmbeddingFields),

  done(scriptTask, ({ request }) => scriptFor(opened(request))),

  done(jsonAnswerTask, ({ blocks }) => {
    const value = parseWithin(Buffer.concat(blocks).toString('utf8'), answerLimits) ?? null;
    return { value, numbers: takeExactNumbers(value) };
  }),
]);

function done<Input, Output>({ name }: WorkerTask<Input, Output>, run: (input: Input) => Output) {
  return [name, run as (input: never) => unknown] as const;
}

const opened = (request: ProviderRequest): ProviderRequest =>
  request.packed ? unpacked(request, request.packed.bytes) : request;

// Large requests should not slow down small ones. Only Linux has a priority for each thread.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', ({ task, input }: { task: string; input: never }) => {
  try {
    const run = workerTasks.get(task);
    if (!run) throw new Error(`there is no task "${task}"`);
    const value = run(input);
    const given: TransferListItem[] = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
    parentPort?.postMessage({ value }, given);
  } catch (error) {
    parentPort?.postMessage({ error: toTransferredError(error) });
  }
});
