import process from 'node:process';

/** Sets what the vendors' SDKs read of the environment, until it is disposed: addresses that lead to `url`. */
export function lureSdks({ href }: URL): Disposable {
  const variables = {
    ANTHROPIC_BASE_URL: href,
    OPENAI_BASE_URL: href,
    GOOGLE_GEMINI_BASE_URL: href,
    GOOGLE_GENAI_API_VERSION: 'v9',
  };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    },
  };
}
