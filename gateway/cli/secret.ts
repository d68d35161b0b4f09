import type { GatewayCommand } from './gateway-command.ts';

export function define(program: GatewayCommand): void {
  program
    .command('secret')
    .description('the secret behind API keys and tokens')
    .command('replace')
    .description('takes the given secret in the place of a lost one: keys and tokens made with that one work no more')
    .example('PORTICO_KEY_PEPPER=$NEW gateway secret replace && gateway token rotate --at-once')
    .operates(async (operator, _options: object, { database }: GatewayCommand) => {
      await operator.replaceKeySecret();
      const message =
        'Replaced. API keys made with the lost secret are refused: make new ones. "token rotate --at-once" makes new keys for ' +
        'tokens. Servers that still have the lost secret make no more keys:';
      return { lines: [message, database], json: { replaced: true } };
    });
}
