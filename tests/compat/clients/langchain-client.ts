import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { type Ask, asksAgainFor, type ClientKind, type Connection, citySchema } from './client.ts';

/** `ChatOpenAI` of LangChain. */
export const langchainClient: ClientKind = {
  name: '@langchain/openai',
  // LangChain's list of statuses that it doesn't retry contains 400 to 407, 409 and 413. So it sends a request with a
  // 422 three times, which costs nothing.
  asks: asksAgainFor(422, 429, 500, 502, 503, 504),
  failure(error) {
    const { status, code } = error as { status?: number; code?: string };
    return { status, code };
  },
  open(connection) {
    const model = (ask: Ask) => langchainModel(connection, ask);
    const options = ({ signal, headers }: Ask) => ({
      ...(signal ? { signal } : {}),
      ...(headers ? { options: { headers: { ...headers } } } : {}),
    });
    return {
      async chat(ask) {
        const answer = await model(ask).invoke(getQuestion(ask), options(ask));
        return { text: answer.text, totalTokens: getTokens(answer) };
      },
      async stream(ask, onText) {
        let text = '';
        let totalTokens: number | undefined;
        for await (const chunk of await model(ask).stream(getQuestion(ask), options(ask))) {
          text += chunk.text;
          if (chunk.text) onText?.(chunk.text);
          const tokens = getTokens(chunk);
          if (tokens !== undefined) totalTokens = (totalTokens ?? 0) + tokens;
        }
        return { text, totalTokens };
      },
      async toolLoop(ask, weather) {
        const tool = {
          type: 'function',
          function: { name: 'weather', description: 'weather of a city', parameters: citySchema },
        };
        const bound = model(ask).bindTools([tool]);
        const messages = getQuestion(ask);
        for (;;) {
          const answer = await bound.invoke(messages);
          messages.push(answer);
          if (!(answer instanceof AIMessage) || !answer.tool_calls?.length) return answer.text;
          for (const { id, args } of answer.tool_calls) {
            messages.push(new ToolMessage({ tool_call_id: id ?? '', content: weather(String(args.city)) }));
          }
        }
      },
      structured: (ask) =>
        model(ask)
          .withStructuredOutput({ ...citySchema, title: 'place' }, { method: 'jsonSchema', strict: true })
          .invoke(getQuestion(ask)),
      models: null,
    };
  },
};

/** LangChain's type is `never` here when a message may come from any model. */
const getTokens = (message: { readonly usage_metadata?: unknown }) =>
  (message.usage_metadata as { total_tokens?: number } | undefined)?.total_tokens;

const langchainModel = ({ baseUrl, key, fetch }: Connection, { model, temperature }: Ask): ChatOpenAI =>
  new ChatOpenAI({
    model,
    apiKey: key,
    ...(temperature === undefined ? {} : { temperature }),
    configuration: { baseURL: baseUrl, fetch },
    // The default of six retries waits for most of a minute. The other clients retry twice.
    maxRetries: 2,
  });

const getQuestion = ({ prompt, image }: Ask): BaseMessage[] => [
  new HumanMessage(
    image
      ? {
          content: [
            { type: 'text', text: prompt },
            { type: 'image_url', image_url: { url: image } },
          ],
        }
      : prompt,
  ),
];
