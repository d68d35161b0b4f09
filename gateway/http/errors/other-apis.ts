/** What clients ask for that is not served, and the nearest thing that is. The first that fits is told. */
const others: readonly (readonly [path: RegExp, sentence: string])[] = [
  [
    /^\/v1\/responses\/./,
    'This gateway keeps no responses: none can be retrieved, cancelled, deleted or compacted. POST /v1/responses answers; POST /v1/quote tells tokens and cost beforehand.',
  ],
  [/^\/v1\/conversations\b/, 'This gateway keeps no conversations: send all items in "input" of POST /v1/responses.'],
  [/^\/v1\/messages\/batches\b/, 'This gateway does not offer batches. Use POST /v1/messages, once for each request.'],
  [/^\/v1\/batches\b/, 'This gateway does not offer batches. Use POST /v1/chat/completions, once for each request.'],
  [
    /^\/v1\/comple(te|tions)$/,
    'This gateway does not offer the legacy completions API. Use POST /v1/chat/completions.',
  ],
  [
    /^\/v1\/(assistants|threads)\b/,
    'This gateway does not offer assistants or threads. Use POST /v1/responses, with all items in "input".',
  ],
  [
    /^\/v1\/files\b/,
    'This gateway stores no files. Send their content in the request: "file_data", "input_file" or a "document".',
  ],
];

const usual =
  'There is no such endpoint. Chat is at POST /chat, /v1/chat/completions, /v1/responses and /v1/messages, embeddings at POST /v1/embeddings, the list of models at GET /v1/models.';

/** What a 404 for this path says. */
export const unknownEndpoint = (path: string): string => others.find(([known]) => known.test(path))?.[1] ?? usual;
