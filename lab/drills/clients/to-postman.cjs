/** Converts openapi.json to the Postman collection collection.json, with the examples as values. */
const { readFileSync, writeFileSync } = require('node:fs');
const { convertV2 } = require('openapi-to-postmanv2');

const input = { type: 'string', data: readFileSync('openapi.json', 'utf8') };
convertV2(input, { parametersResolution: 'Example' }, (error, { result, reason, output } = {}) => {
  if (error || !result) throw error ?? new Error(reason);
  writeFileSync('collection.json', JSON.stringify(output[0].data));
});
