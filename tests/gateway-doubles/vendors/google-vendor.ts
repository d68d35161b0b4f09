import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { isCorrupted } from './tool-loops.ts';
import { hasTools, type Refusal, toObjects, unknownNames, type VendorRule } from './vendor-rule.ts';

/** The requests that Google's Gemini API refuses. */

const read = '2026-11-22';
const docs = 'https://ai.google.dev/gemini-api/docs';

const fields = [
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
];
const configFields = [
  ...['temperature', 'topP', 'topK', 'maxOutputTokens', 'stopSequences', 'seed', 'frequencyPenalty', 'presencePenalty'],
  ...['responseMimeType', 'responseJsonSchema', 'responseSchema', 'thinkingConfig', 'candidateCount'],
  'responseModalities',
];
const partData = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode'];

const is25 = (model: string) => model.startsWith('gemini-2.5');
/** The levels in the table of Google's thinking guide. */
const getLevels = (model: string): readonly string[] =>
  /^gemini-3\.(1-pro|7|8)/.test(model) ? ['low', 'medium', 'high'] : ['minimal', 'low', 'medium', 'high'];
const budgets: Readonly<Record<string, readonly [least: number, most: number, mayBeOff: boolean]>> = {
  'gemini-2.5-pro': [128, 32_768, false],
  'gemini-2.5-flash': [1, 24_576, true],
  'gemini-2.5-flash-lite': [512, 24_576, true],
};
const refusesPrefill = /^gemini-3\.(5-flash-lite|6|7|8)/;

const refusal = (message: string): Refusal => ({ message });
const getConfig = (body: JsonObject) => asObject(body.generationConfig);
const getParts = (content: JsonObject) => toObjects(content.parts);
const has = (content: JsonObject | undefined, name: string) =>
  getParts(content ?? {}).some((part) => part[name] !== undefined);

const makesImages = (model: string) => /-image(-|$)/.test(model);

export const googleRules: readonly VendorRule[] = [
  {
    source: `${docs}/image-generation`,
    read: '2026-11-23',
    refuses(body, model) {
      const { responseModalities: modalities, responseMimeType: type } = getConfig(body);
      if (asArray(modalities).includes('IMAGE') && !makesImages(model))
        return refusal('Model does not support the requested response modalities: image,text');
      if (!makesImages(model)) return null;
      if (toObjects(body.tools).some((tool) => tool.functionDeclarations))
        return refusal(`Function calling is not enabled for models/${model}`);
      return type === 'application/json' ? refusal(`JSON mode is not enabled for models/${model}`) : null;
    },
  },
  {
    source: 'https://ai.google.dev/api/generate-content',
    read,
    refuses(body) {
      const top = unknownNames(body, fields).map((name) => `"${name}"`);
      const inside = unknownNames(getConfig(body), configFields).map((name) => `"${name}" at 'generation_config'`);
      const [name] = [...top, ...inside];
      return name === undefined
        ? null
        : refusal(`Invalid JSON payload received. Unknown name ${name}: Cannot find field.`);
    },
  },
  {
    source: 'https://ai.google.dev/api/generate-content',
    read,
    refuses(body) {
      const contents = toObjects(body.contents);
      if (contents.length === 0) return refusal('* GenerateContentRequest.contents: contents is not specified\n');
      for (const [index, content] of contents.entries()) {
        const parts = getParts(content);
        const empty = parts.findIndex((part) => !partData.some((name) => part[name] !== undefined) || part.text === '');
        if (parts.length === 0 || empty >= 0) {
          const place = `GenerateContentRequest.contents[${index}].parts${empty >= 0 ? `[${empty}].data` : ''}`;
          return refusal(`* ${place}: required oneof field 'data' must have one initialized field\n`);
        }
      }
      return null;
    },
  },
  {
    source: `${docs}/generate-content/thinking`,
    read,
    refuses(body, model) {
      const { thinkingLevel: level, thinkingBudget: budget } = asObject(getConfig(body).thinkingConfig);
      if (level !== undefined && budget !== undefined) {
        return refusal('You can only set only one of thinking budget and thinking level.');
      }
      if (level !== undefined && is25(model)) return refusal('Thinking level is not supported for this model.');
      if (level !== undefined && !getLevels(model).includes(String(level).toLowerCase())) {
        const name = String(level).toUpperCase();
        return refusal(
          `Thinking level ${name} is not supported for this model. Please retry with other thinking level.`,
        );
      }
      const [least, most, mayBeOff] = budgets[model] ?? [0, 32_768, true];
      if (budget === undefined || budget === -1 || (budget === 0 && mayBeOff)) return null;
      if (budget === 0) return refusal('Budget 0 is invalid. This model only works in thinking mode.');
      if (Number(budget) >= least && Number(budget) <= most) return null;
      return refusal(`The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`);
    },
  },
  {
    source: `${docs}/models`,
    read,
    refuses(body) {
      const { maxOutputTokens: most, temperature, seed } = getConfig(body);
      if (Number(most ?? 0) > 65_536) {
        return refusal(
          `Unable to submit request because it has a maxOutputTokens value of ${most} but the supported range is from 1 (inclusive) to 65537 (exclusive).`,
        );
      }
      if (Number(temperature ?? 0) > 2)
        return refusal(`* GenerateContentRequest.generation_config.temperature: must be in the range [0.0, 2.0]`);
      if (Math.abs(Number(seed ?? 0)) > 2 ** 31 - 1)
        return refusal(`Invalid value at 'generation_config.seed' (TYPE_INT32), ${seed}`);
      return null;
    },
  },
  {
    source: 'https://github.com/LibreChat-AI/agents/pull/323, https://github.com/LibreChat-AI/agents/pull/412',
    read,
    refuses(body, model) {
      const last = toObjects(body.contents).at(-1);
      return last?.role === 'model' && refusesPrefill.test(model)
        ? refusal('Requests ending with a model turn are not supported.')
        : null;
    },
  },
  {
    source: 'https://github.com/googleapis/python-genai/issues/867',
    read,
    refuses(body, model) {
      return is25(model) && hasTools(body) && getConfig(body).responseMimeType === 'application/json'
        ? refusal("Function calling with a response mime type: 'application/json' is unsupported")
        : null;
    },
  },
  {
    source:
      'https://github.com/continuedev/continue/issues/9575, https://github.com/google-gemini/gemini-cli/issues/16984',
    read,
    refuses(body) {
      const contents = toObjects(body.contents);
      for (const [index, content] of contents.entries()) {
        const calls = getParts(content).filter((part) => part.functionCall !== undefined).length;
        if (calls === 0) continue;
        const before = contents[index - 1];
        if (before?.role !== 'user') {
          return refusal(
            'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
          );
        }
        const results = getParts(contents[index + 1] ?? {}).filter(
          (part) => part.functionResponse !== undefined,
        ).length;
        if (results !== calls) {
          return refusal(
            'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
          );
        }
      }
      return null;
    },
  },
  {
    source: `${docs}/thought-signatures`,
    read,
    refuses(body, model) {
      if (is25(model)) return null;
      const contents = toObjects(body.contents);
      const userTurn = contents.findLastIndex((content) => content.role === 'user' && has(content, 'text'));
      for (const [index, content] of contents.entries()) {
        const first = getParts(content).find((part) => part.functionCall !== undefined);
        if (index > userTurn && first && first.thoughtSignature === undefined) {
          const { name } = asObject(first.functionCall);
          return refusal(
            `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}.`,
          );
        }
      }
      return null;
    },
  },
  {
    source: `${docs}/thought-signatures, https://github.com/google-gemini/gemini-cli/issues/13467`,
    read,
    refuses(body, model) {
      const parts = toObjects(body.contents).flatMap(getParts);
      return !is25(model) && parts.some((part) => isCorrupted(model, part))
        ? refusal('Corrupted thought signature.')
        : null;
    },
  },
  {
    source: `${docs}/function-calling`,
    read,
    refuses(body, model) {
      const { mode, allowedFunctionNames: names } = asObject(asObject(body.toolConfig).functionCallingConfig);
      if (asArray(names).length > 0 && mode !== 'ANY') {
        return refusal('Function calling config is set without mode ANY: allowed_function_names is not supported.');
      }
      const pictures = toObjects(body.contents).some((content) =>
        getParts(content).some((part) => asArray(asObject(part.functionResponse).parts).length > 0),
      );
      return pictures && is25(model)
        ? refusal('Multimodal function responses are not supported for this model.')
        : null;
    },
  },
];

/** Formats an error as Google does. */
export const googleError = ({ message }: Refusal): object => ({
  error: { code: 400, message, status: 'INVALID_ARGUMENT' },
});
