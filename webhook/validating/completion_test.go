/*
Copyright The ImageListPullJob Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package validating

import "testing"

func TestValidateCompletion(t *testing.T) {
	checkRules(t, map[string]rule{
		"type Never":              {spec: `{images: [a], completionPolicy: {type: Never}}`},
		"deadline is the timeout": {spec: `{images: [a], completionPolicy: {activeDeadlineSeconds: 600}}`},
		"case 5: deadline below the default timeout": {
			spec:     `{images: [a], completionPolicy: {activeDeadlineSeconds: 60}}`,
			want:     []string{"spec.completionPolicy.activeDeadlineSeconds Invalid"},
			wantText: []string{"must not be less than spec.pullPolicy.timeoutSeconds, which is 600: raise the one or lower the other"},
		},
		"case 5: deadline below the timeout": {
			spec: `{images: [a], pullPolicy: {timeoutSeconds: 61}, completionPolicy: {type: Always, activeDeadlineSeconds: 60}}`,
			want: []string{"spec.completionPolicy.activeDeadlineSeconds Invalid"},
		},
		"numbers below their range": {
			spec: `{images: [a], maxConcurrentImages: 0, completionPolicy: {activeDeadlineSeconds: 0, ttlSecondsAfterFinished: -1}}`,
			want: []string{
				"spec.maxConcurrentImages Invalid",
				"spec.completionPolicy.ttlSecondsAfterFinished Invalid",
				"spec.completionPolicy.activeDeadlineSeconds Invalid",
			},
			wantText: []string{"must be 1 to 255 images", "must be 1 to 2147483647 seconds"},
		},
		"numbers above their range": {
			spec: `{images: [a], maxConcurrentImages: 256, completionPolicy: {activeDeadlineSeconds: 2147483648}}`,
			want: []string{"spec.maxConcurrentImages Invalid", "spec.completionPolicy.activeDeadlineSeconds Invalid"},
		},
		"unknown type": {
			spec: `{images: [a], completionPolicy: {type: Sometimes}}`,
			want: []string{"spec.completionPolicy.type NotSupported"}, wantText: []string{`"Always", "Never"`},
		},
		"type Never with what needs an end": {
			spec: `{images: [a], maxConcurrentImages: 1, completionPolicy: {type: Never, activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 1}}`,
			want: []string{
				"spec.completionPolicy.activeDeadlineSeconds Forbidden",
				"spec.completionPolicy.ttlSecondsAfterFinished Forbidden",
				"spec.maxConcurrentImages Forbidden",
			},
			wantText: []string{"remove it, or set spec.completionPolicy.type to Always"},
		},
	})
}

func TestValidateOverriddenCompletion(t *testing.T) {
	checkRules(t, map[string]rule{
		"a deadline of its own":                     {spec: `{imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 600}}]}`},
		"a deadline and timeout below the job's":    {spec: `{completionPolicy: {activeDeadlineSeconds: 900}, imagePullJobTemplate: [{image: a, pullPolicy: {timeoutSeconds: 5}, completionPolicy: {activeDeadlineSeconds: 5}}]}`},
		"a timeout that the job's deadline permits": {spec: `{completionPolicy: {activeDeadlineSeconds: 900}, imagePullJobTemplate: [{image: a, pullPolicy: {timeoutSeconds: 900}}]}`},
		"an empty policy":                           {spec: `{completionPolicy: {type: Never}, imagePullJobTemplate: [{image: a, completionPolicy: {}}]}`},
		"what belongs to the job": {
			spec: `{imagePullJobTemplate: [{image: a, completionPolicy: {type: Always, ttlSecondsAfterFinished: 5}}]}`,
			want: []string{
				"spec.imagePullJobTemplate[0].completionPolicy.type Forbidden",
				"spec.imagePullJobTemplate[0].completionPolicy.ttlSecondsAfterFinished Forbidden",
			},
			wantText: []string{"belongs to the whole job"},
		},
		"a deadline out of range": {
			spec: `{imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 0}}]}`,
			want: []string{"spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds Invalid"},
		},
		"a deadline above the job's": {
			spec:     `{completionPolicy: {activeDeadlineSeconds: 900}, imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 901}}]}`,
			want:     []string{"spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds Invalid"},
			wantText: []string{"must not be more than spec.completionPolicy.activeDeadlineSeconds, which is 900"},
		},
		"a deadline in a job that never finishes": {
			spec: `{completionPolicy: {type: Never}, imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 900}}]}`,
			want: []string{"spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds Forbidden"},
		},
		"case 5: a deadline below the timeout of the job": {
			spec:     `{imagePullJobTemplate: [{image: a, completionPolicy: {activeDeadlineSeconds: 60}}]}`,
			want:     []string{"spec.imagePullJobTemplate[0].completionPolicy.activeDeadlineSeconds Invalid"},
			wantText: []string{"pullPolicy.timeoutSeconds, which is 600 for this image"},
		},
		"case 5: a timeout above the deadline of the job": {
			spec:     `{images: [b], completionPolicy: {activeDeadlineSeconds: 900}, imagePullJobTemplate: [{image: b}, {image: a, pullPolicy: {timeoutSeconds: 901}}]}`,
			want:     []string{"spec.imagePullJobTemplate[1].pullPolicy.timeoutSeconds Invalid"},
			wantText: []string{"completionPolicy.activeDeadlineSeconds, which is 900 for this image"},
		},
		"case 5: where the job's own do not fit, they are to blame": {
			spec: `{completionPolicy: {activeDeadlineSeconds: 60}, imagePullJobTemplate: [{image: a, pullPolicy: {backoffLimit: 1}}]}`,
			want: []string{"spec.completionPolicy.activeDeadlineSeconds Invalid"},
		},
	})
}
