/** Returns the environment in which a gateway uses one server for all three vendors. */
export const vendorsAt = (origin: string) => ({
  OPENAI_API_KEY: 'k',
  OPENAI_BASE_URL: `${origin}/v1`,
  ANTHROPIC_API_KEY: 'k',
  ANTHROPIC_BASE_URL: origin,
  GOOGLE_API_KEY: 'k',
  GOOGLE_BASE_URL: origin,
});
