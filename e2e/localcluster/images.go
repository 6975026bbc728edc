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

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/openkruise/imagelistpulljob/e2e/localcluster/internal/node"
)

func imagesCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "images",
		Short: "List the images on each node, as its container runtime tells them",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := readRunning(&dir)
			if err != nil {
				return err
			}
			var rows []imageRow
			for _, n := range s.Nodes {
				images, err := node.Images(cmd.Context(), n.Socket)
				if err != nil {
					return fmt.Errorf("list the images of %s: %w", n.Name, err)
				}
				rows = append(rows, imageRows(n.Name, images)...)
			}
			printImages(cmd.OutOrStdout(), rows)
			return nil
		},
	}
	folderFlag(cmd, &dir)
	return cmd
}

type imageRow struct {
	node, image, tag, id string
	size                 uint64
}

// imageRows makes a row of each tag; an image without one is shown by its digest.
func imageRows(nodeName string, images []*cri.Image) []imageRow {
	var rows []imageRow
	for _, image := range images {
		id := strings.TrimPrefix(image.Id, "sha256:")
		row := imageRow{node: nodeName, id: id[:min(len(id), 13)], size: image.Size}
		for _, reference := range image.RepoTags {
			colon := strings.LastIndex(reference, ":")
			row.image, row.tag = reference[:colon], reference[colon+1:]
			rows = append(rows, row)
		}
		if len(image.RepoTags) == 0 {
			for _, reference := range image.RepoDigests {
				row.image, row.tag, _ = strings.Cut(reference, "@")
				rows = append(rows, row)
			}
		}
	}
	slices.SortFunc(rows, func(a, b imageRow) int { return strings.Compare(a.image+":"+a.tag, b.image+":"+b.tag) })
	return rows
}

func printImages(out io.Writer, rows []imageRow) {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(table, "NODE\tIMAGE\tTAG\tIMAGE ID\tSIZE")
	for _, row := range rows {
		size := resource.NewScaledQuantity(int64(row.size/1000), resource.Kilo)
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%sB\n", row.node, row.image, row.tag, row.id, size)
	}
	_ = table.Flush()
}
