import type { Source } from '../model-facts.ts';

/** Where facts of OpenAI's models were read. */

const read = '2026-11-22';
export const page = (url: string): Source => ({ url, read });

/** Of a model that was released after the others' pages were read. */
export const laterPage = (name: string): Source => ({
  url: `https://developers.openai.com/api/docs/models/${name}`,
  read: '2026-11-27',
});

/** What the API itself answered, where its pages do not say it. */
export const seen = {
  astraEfforts: page('https://github.com/BerriAI/litellm-docs/pull/1173'),
  astraTools: page('https://github.com/genkit-ai/genkit/pull/6303'),
  sixRelease: page('https://docs.laozhang.ai/en/announcements/gpt-6-launch-2026-09.md'),
  sixTools: page('https://github.com/onyx-dot-app/onyx/issues/15008'),
  sixEfforts: page('https://docs.litellm.ai/blog/gpt_6_sol_luna'),
  checklist: page('https://developers.openai.com/api/docs/guides/deployment-checklist'),
  tools56: page('https://github.com/BerriAI/litellm/pull/34569'),
  efforts56: page('https://github.com/livekit/agents/pull/7169'),
  max56: page('https://github.com/experientiallabs/experiential/issues/764'),
  tools55: page('https://github.com/charmbracelet/crush/issues/2913'),
  tools54: page('https://github.com/openai/openai-openapi/issues/541'),
  tools52: page('https://github.com/livekit/agents/pull/5088'),
  sampling: page('https://github.com/langchain-ai/langchain/pull/35424'),
  noParallel: page('https://github.com/langchain-ai/langgraph-supervisor-py/pull/125'),
  minimalParallel: page('https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning'),
  oldParameters: page('https://community.openai.com/t/developer-role-not-accepted-for-o1-o1-mini-o3-mini/1110750/7'),
  verified: page('https://help.openai.com/en/articles/10910291-api-organization-verification'),
};
