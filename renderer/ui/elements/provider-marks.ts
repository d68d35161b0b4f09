import anthropic from '@lobehub/icons-static-svg/icons/anthropic.svg?url';
import cerebras from '@lobehub/icons-static-svg/icons/cerebras.svg?url';
import deepseek from '@lobehub/icons-static-svg/icons/deepseek.svg?url';
import fireworks from '@lobehub/icons-static-svg/icons/fireworks.svg?url';
import google from '@lobehub/icons-static-svg/icons/google.svg?url';
import groq from '@lobehub/icons-static-svg/icons/groq.svg?url';
import lmstudio from '@lobehub/icons-static-svg/icons/lmstudio.svg?url';
import mistral from '@lobehub/icons-static-svg/icons/mistral.svg?url';
import ollama from '@lobehub/icons-static-svg/icons/ollama.svg?url';
import openai from '@lobehub/icons-static-svg/icons/openai.svg?url';
import openrouter from '@lobehub/icons-static-svg/icons/openrouter.svg?url';
import together from '@lobehub/icons-static-svg/icons/together.svg?url';
import vllm from '@lobehub/icons-static-svg/icons/vllm.svg?url';
import xai from '@lobehub/icons-static-svg/icons/xai.svg?url';

/** The marks of the vendors, as files that are fetched when one is shown. They are trademarks of their owners. */
export const providerMarks: Readonly<Record<string, string>> = {
  anthropic,
  cerebras,
  deepseek,
  fireworks,
  google,
  groq,
  lmstudio,
  mistral,
  ollama,
  openai,
  openrouter,
  together,
  vllm,
  xai,
};
