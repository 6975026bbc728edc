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

package imagelistpulljob

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/openkruise/imagelistpulljob/apis/apps/v1alpha1"
)

// servedSchemaTimeout bounds the one request for the schema that the API server serves.
const servedSchemaTimeout = 10 * time.Second

// ownFields are fields of ours that Kruise's own CRD of the same name lacks. The API server drops what its CRD does not have, so
// without them the controller would rewrite its status for ever.
var ownFields = []string{
	"spec.imagePullJobTemplate", "spec.maxConcurrentImages",
	"status.conditions", "status.failedImagePullJobStatuses", "status.observedGeneration", "status.specHash", "status.status",
}

// logMissingFields says in one line if somebody replaced our CRD with another of the same name. That the schema cannot be read is
// no fault: the check is a courtesy.
func logMissingFields(mgr manager.Manager) {
	logger := mgr.GetLogger().WithName(defaultName)
	document, err := servedSchema(mgr)
	if err != nil {
		logger.V(1).Info("Cannot check the served CRD of ImageListPullJob", "reason", err.Error())
		return
	}
	if missing := missingFields(document); len(missing) > 0 {
		logger.Error(nil, "The served CRD imagelistpulljobs.apps.kruise.io lacks fields of this controller, probably since another "+
			"version of it was applied later: apply config/crd again", "missing", missing)
	}
}

func servedSchema(mgr manager.Manager) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), servedSchemaTimeout)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	return client.RESTClient().Get().AbsPath("/openapi/v3/apis/" + v1alpha1.GroupVersion.String()).DoRaw(ctx)
}

// schemaNode is the part of an OpenAPI schema that names fields.
type schemaNode struct {
	Properties map[string]schemaNode `json:"properties"`
}

// missingFields returns which of ownFields an OpenAPI v3 document does not have; none if it does not describe ImageListPullJob,
// as in the moments after the CRD was applied.
func missingFields(document []byte) []string {
	var api struct {
		Components struct {
			Schemas map[string]schemaNode `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &api); err != nil {
		return nil
	}
	for name, schema := range api.Components.Schemas {
		if strings.HasSuffix(name, ".v1alpha1.ImageListPullJob") {
			return slices.DeleteFunc(slices.Clone(ownFields), func(field string) bool { return schema.has(field) })
		}
	}
	return nil
}

func (n schemaNode) has(field string) bool {
	for _, part := range strings.Split(field, ".") {
		next, ok := n.Properties[part]
		if !ok {
			return false
		}
		n = next
	}
	return true
}
