import { describeProgress } from '../../n8n-runner/installProgress.ts';

const lookUp = 'npm http fetch GET 200 https://registry.example/gulp 128ms (cache miss)';
const download = 'npm http fetch GET 200 https://registry.example/gulp/-/gulp-5.0.1.tgz 31ms (cache miss)';
const cached = 'npm http cache y18n@https://registry.example/y18n/-/y18n-5.0.8.tgz 1ms (cache hit)';
const other = 'npm warn deprecated glob@7.2.3: old versions of gulp.tgz';

it.each([
  [[], 0, 'looked up 0 of about 4 names, unpacked 0 of about 3 packages, 0 of about 20 MB'],
  [[lookUp, lookUp, other], 0, 'looked up 2 of about 4 names, unpacked 0 of about 3 packages, 0 of about 20 MB'],
  [[lookUp, download, cached], 9, 'looked up 1 of about 4 names, unpacked 2 of about 3 packages, 9 of about 20 MB'],
])('an installation shows what is done and how much there is, after %j', (lines, megabytes, text) => {
  expect(describeProgress(lines, megabytes, { names: 4, packages: 3, megabytes: 20 })).toBe(text);
});

it('an installation of unknown size shows what is done', () => {
  expect(describeProgress([lookUp], 5, {})).toBe('looked up 1 names, unpacked 0 packages, 5 MB');
});
