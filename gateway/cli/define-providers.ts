import { serverKinds } from '#shared/server-kinds.ts';
import type { GatewayCommand } from './gateway-command.ts';

const commands = () => import('./provider-commands.ts');

/** Defines the commands for providers: known ones, and servers under the operator's own names. */
export function defineProviders(program: GatewayCommand): void {
  const providers = program.command('providers').description('who answers');
  providers
    .command('list')
    .description('providers with the variable that switches each one on, and those that were added')
    .example('gateway providers list')
    .answers(async () => (await commands()).listProviders);
  providers
    .command('add')
    .description('adds a server under a name of its own, or several keys or another address of a known provider')
    .argument('<NAME>')
    .option('--url <URL>', 'its address; with a key or headers https, or http on this machine')
    .option('--kind <KIND>', `${serverKinds.join(', ')} (default: openai-compatible)`)
    .option('--name <TEXT>', 'how people are shown it')
    .option('--keys <LIST>', 'keys in their order, each as label=env:VARIABLE or label=file:/path')
    .option('--headers <LIST>', 'headers of every request, each as name=env:VARIABLE or name=file:/path')
    .option(
      '--models <LIST>',
      'models that it has, each as name or name=model of the price book; with Azure, its deployments',
    )
    .option('--api-version <DATE>', 'Azure only: asks deployments by dated paths in place of /openai/v1')
    .example(
      'gateway providers add cellar --kind ollama --url http://10.0.0.5:11434/v1',
      'gateway providers add openai --keys team=env:OPENAI_TEAM,spare=file:/run/secrets/openai',
      'gateway providers add azure --kind azure-openai --url https://NAME.openai.azure.com --keys main=env:AZURE_KEY \\',
      '        --models chat-prod=openai/gpt-5.4-mini',
    )
    .operates(async () => (await commands()).addProvider, true);
  providers
    .command('test')
    .description('asks one with each of its keys, by a free call; exit code 1 where one does not work')
    .argument('<NAME>')
    .option('--config <FILE>', 'the configuration file that "serve" is given')
    .example('gateway providers test openai', 'gateway providers test azure --config gateway.json')
    .answers(async () => (await commands()).testProvider);
  providers
    .command('remove')
    .description('forgets what was added')
    .argument('<NAME>')
    .example('gateway providers remove cellar')
    .operates(async () => (await commands()).removeProvider);
  providers
    .command('discover')
    .description('servers of your own that answer on this machine')
    .example('gateway providers discover --json')
    .answers(async () => (await commands()).discoverServers);
}
