import type { GatewayCommand } from './gateway-command.ts';

const commands = () => import('./prices-commands.ts');

/** Price classes besides input and output, in the order of a price book. */
const rates = ['cache-read', 'cache-write', 'cache-write-1h', 'reasoning', 'input-audio'];
const perMillion = 'price per million tokens';
const firstDay = ['--from <DATE>', 'first day of a price (UTC), today at the earliest'] as const;

/** Defines the commands for prices: the shipped book, newer editions and the operator's own prices. */
export function definePrices(program: GatewayCommand): void {
  const prices = program.command('prices').description('what models cost');
  prices
    .command('list')
    .description('prices of today')
    .option('--provider <PROVIDER>', 'only those of this provider')
    .example('gateway prices list --provider anthropic')
    .answers(async () => (await commands()).listPrices);
  prices
    .command('history')
    .description('every price of a model, and from when it holds')
    .argument('<MODEL>')
    .example('gateway prices history openai/gpt-5.4-mini')
    .answers(async () => (await commands()).priceHistory);
  const set = prices
    .command('set')
    .description('a price of your own')
    .argument('<MODEL>')
    .needs('--input <USD>', perMillion)
    .needs('--output <USD>', perMillion);
  for (const rate of rates) set.option(`--${rate} <USD>`, perMillion);
  set
    .option('--request <USD>', 'price per million requests')
    .option(...firstDay)
    .example(
      'gateway prices set openai/gpt-5.4-mini --input 0.6 --output 3.6 --from 2027-01-01      # a contract of your own',
      'gateway prices set openai-compatible/qwen3 --input 0.05 --output 0.05                  # what your server costs you',
    )
    .operates(async () => (await commands()).setPrice);
  prices
    .command('unset')
    .description('the price book holds again')
    .argument('<MODEL>')
    .option(...firstDay)
    .example('gateway prices unset openai/gpt-5.4-mini')
    .operates(async () => (await commands()).unsetPrice);
  prices
    .command('refresh')
    .description('takes newer prices')
    .addOption(prices.createOption('--url <URL>', 'where a newer price book is').env('PORTICO_PRICES_URL'))
    .addOption(
      prices
        .createOption(
          '--key <KEY>',
          'public key of who signs that book (PEM or base64); needed unless it is on this machine',
        )
        .env('PORTICO_PRICES_KEY'),
    )
    .example('gateway prices refresh --url https://prices.example/book.json --key MCowBQYDK2VwAyEA…')
    .operates(async () => (await commands()).refreshPrices);
  prices
    .command('sign')
    .description('signs a price book for gateways elsewhere: writes FILE.sig, which has to lie beside it')
    .argument('<FILE>')
    .needs('--key-file <FILE>', 'your private key (Ed25519, PEM): openssl genpkey -algorithm ed25519 -out prices.key')
    .example('gateway prices sign book.json --key-file prices.key')
    .answers(async () => (await commands()).signPrices);
}
