import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, workplace } from '../../tests/gateway-doubles/cli-process.ts';
import { getLeaves, typedWords } from './gateway-command.ts';
import { gatewayProgram } from './program.ts';

/** Commands that need no database, so they are the same on every engine. */
describe('the command line without a database', { timeout: 180_000 }, () => {
  test.each([
    [['frobnicate'], /There is no command "frobnicate"/],
    [['prces', 'list'], /There is no command "prces list". Did you mean "prices list"\?/],
    [['account', 'create', '--naem', 'x'], /There is no option --naem. Did you mean --name\? See --help/],
    [['prces', 'lst'], /There is no command "prces lst". Did you mean "prices"\?/],
    [['kye', 'lsit'], /There is no command "kye lsit". Did you mean "key"\?/],
    [['token', 'isue'], /There is no command "token isue". Did you mean "token issue"\?/],
    [['key', 'create', 'acct_1', '--spend', '5'], /There is no option --spend. See --help/],
    [['key', 'create', 'acct_1', '--label'], /Option '--label <TEXT>' argument missing. See --help/],
    [['account'], /Say what to do, for example "gateway account create"/],
    [['key', 'list', '--xyzzy'], /There is no option --xyzzy. See --help/],
    [[], /Say what to do/],
    [['account', 'create'], /"account create" needs --name/],
    [['credit', 'grant', 'acct_1'], /Usage: gateway credit grant ACCOUNT USD/],
    [['serve', '--port', '99999'], /--port must be a number/],
    [['serve', '--bogus'], /--bogus/],
    [['account', 'list', '--port', '1'], /--port does not belong/],
  ])('a wrong command line (%j) is answered with one sentence and exit code 2', async (args, sentence) => {
    const { code, stdout, stderr } = await command(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd()).toMatch(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('help names every command and exits with 0', async () => {
    const { code, stdout } = await command(['--help']);
    expect(code).toBe(0);
    const every = getLeaves(await gatewayProgram());
    expect(every.length).toBeGreaterThan(25);
    for (const word of [...every.map(typedWords), 'Examples', 'every model']) expect(stdout).toContain(word);
    expect(every.filter(({ examples }) => examples.length === 0).map(typedWords)).toEqual([]);
    const about = await command(['token', 'issue', '--help']);
    expect(about).toMatchObject({ code: 0, stdout: expect.stringContaining('--scope chat,models --ttl 15m') });
    expect(about.stdout).not.toContain('account create');
    expect(await command(['--db', 'plan', '--help'])).toMatchObject({ code: 0, stdout });
  });

  test('the command line lists plans and prices without opening a database', async () => {
    const { directory } = await workplace();
    const db = ['--db', join(directory, 'missing.db')];
    expect((await command(['plan', 'list', ...db])).stdout).toMatch(
      /^free\tprepaid\t20 requests\/min, 40000 tokens\/min/,
    );
    const { stdout } = await command(['prices', 'list', '--provider', 'anthropic', '--json', ...db]);
    const prices = JSON.parse(stdout) as { id: string; pricing: { prompt: string; as_of: string } }[];
    expect(prices.length).toBeGreaterThan(2);
    for (const { id, pricing } of prices) {
      expect(id).toMatch(/^anthropic\//);
      expect(pricing.prompt).toMatch(/^0\.0000\d+$/);
    }
    expect(await command(['prices', 'list', '--provider', 'acme'])).toMatchObject({ code: 1, stdout: '' });
    expect(await command(['prices', 'history', 'acme/one', ...db])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Nothing is known of the price of "acme/one".\n',
    });
  });

  test('the command line prints the API as OpenAPI and as a Postman collection', async () => {
    const [openapi, postman] = await Promise.all([
      command(['openapi']),
      command(['postman', '--base-url', 'https://a.example']),
    ]);
    expect(JSON.parse(openapi.stdout)).toMatchObject({ openapi: '3.1.0', paths: { '/chat': { post: {} } } });
    const collection = JSON.parse(postman.stdout);
    expect(collection.info.schema).toContain('v2.1.0');
    expect(collection.variable[0].value).toBe('https://a.example');
  });
});
