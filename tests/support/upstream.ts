import { LLMock } from '@copilotkit/aimock';

/** An independent mock of OpenAI, Anthropic and Google on one port, and the environment that points a gateway at it. */
export interface Upstream {
  readonly env: Readonly<Record<string, string>>;
  readonly answer: string;
  /** Returns the number of chat requests that arrived. */
  calls(): number;
  /** Returns the bodies of these requests as JSON text. */
  bodies(): string[];
  /** Forgets all requests so far. */
  forget(): void;
  stop(): Promise<void>;
}

const answer = 'The portico has eight columns, and every number on it is true.';

export async function startUpstream(): Promise<Upstream> {
  const mock = new LLMock({ port: 0 });
  mock.onMessage(/./, { content: answer });
  await mock.start();
  return {
    answer,
    env: {
      OPENAI_API_KEY: 'sk-upstream-openai-key',
      OPENAI_BASE_URL: `${mock.url}/v1`,
      ANTHROPIC_API_KEY: 'sk-ant-upstream-key',
      ANTHROPIC_BASE_URL: mock.url,
      GOOGLE_API_KEY: 'AIza-upstream-google-key',
      GOOGLE_BASE_URL: mock.url,
    },
    calls: () => mock.getRequests().filter(({ method }) => method === 'POST').length,
    bodies: () => mock.getRequests().flatMap(({ method, body }) => (method === 'POST' ? [JSON.stringify(body)] : [])),
    forget: () => mock.clearRequests(),
    stop: () => mock.stop(),
  };
}
