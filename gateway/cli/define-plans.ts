import type { GatewayCommand } from './gateway-command.ts';

const commands = () => import('./plan-commands.ts');
const count = (what: string) => `${what}, or "none"`;

/** Defines the commands for plans, both shipped ones and the operator's own. */
export function definePlans(program: GatewayCommand): void {
  const plan = program.command('plan').description('what accounts may do');
  plan
    .command('list')
    .description('plans with their limits')
    .example('gateway plan list')
    .answers(async () => (await commands()).listPlans);
  plan
    .command('set')
    .description('defines a plan; of one that is there, what is not said stays')
    .argument('<PLAN>')
    .option('--name <NAME>', 'what it is called')
    .option('--features <LIST>', 'what it includes, separated by commas: chat, router, byok, usage_api (default: all)')
    .option('--models <LIST>', 'models that it includes, with "*" for anything and "!" to leave out (default: *)')
    .option('--billing <WORD>', 'prepaid (default), or meter_only: costs are recorded and never refused')
    .option('--requests-per-minute <N>', count('requests of one credential in a minute'))
    .option('--tokens-per-minute <N>', count('tokens of one credential in a minute'))
    .option('--concurrent-requests <N>', count('requests at a time'))
    .option('--requests-per-day <N>', count('requests of the account in a day (UTC)'))
    .option('--monthly-spend <USD>', count('what the account may spend in a month'))
    .option('--max-output-tokens <N>', count('output tokens of a request'))
    .example(
      'gateway plan set team --features chat,usage_api --models "openai/*,!openai/o3*" --monthly-spend 50',
      'gateway plan set team --requests-per-day none',
    )
    .operates(async () => (await commands()).setPlan, true);
  plan
    .command('remove')
    .description('forgets a plan that no account has; one that ships is then as it ships')
    .argument('<PLAN>')
    .example('gateway plan remove team')
    .operates(async () => (await commands()).removePlan);
}
