import { formatUsd } from '#shared/money.ts';
import type { GatewayCommand, OptionTexts } from './gateway-command.ts';
import { parseAmount } from './values.ts';

export function define(program: GatewayCommand): void {
  program
    .command('credit')
    .description('what accounts may spend')
    .command('grant')
    .description('adds to the balance of an account')
    .argument('<ACCOUNT>')
    .argument('<USD>')
    .option('--description <TEXT>', 'what the ledger says of it')
    .option('--id <ID>', 'makes a grant happen once, however often the command is repeated')
    .example('gateway credit grant $ACCOUNT 20', 'gateway credit grant $ACCOUNT 5 --id gift-2026-11')
    .operates(async (operator, accountId: string, text: string, options: OptionTexts<'description' | 'id'>) => {
      const amount = parseAmount(text);
      const entry = await operator.grant({ accountId, amount, ...options });
      return { lines: [`$${formatUsd(amount)} granted to ${accountId}:`, entry.id], json: entry };
    });
}
